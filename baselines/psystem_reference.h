/* A P system step by step, by its rules (kernels/psystem/rules.h): what the simulators are checked against. */
#ifndef ANTBENCH_PSYSTEM_REFERENCE_H
#define ANTBENCH_PSYSTEM_REFERENCE_H

#include "kernels/psystem/psystem.h"

/* A system and the step that it has done. */
typedef struct psr_system {
    const ps_rules *rules;
    ps_configuration now;  /* [room] membranes: the skin first */
    uint32_t *next;        /* [room][n_objects]: what the step that runs leaves */
    uint32_t *environment; /* [n_objects]: what has left the skin */
    int64_t room;          /* membranes, the skin among them, that there is memory for */
    int step;
} psr_system;

/* The initial configuration; the rules must outlive it. AB_UNSUPPORTED where there is too little memory. Free with
 * psr_free, also after an error. */
ab_status psr_open(const ps_rules *rules, psr_system *system);
void psr_free(psr_system *system);

/* One step, by all rules that can be applied. A choice that the rules leave open is counted in now.conflicts. The
 * object with the least number wins, the membrane with the least number, and a rule other than evolution. The flag
 * *halted tells that no rule could be applied, so that only the step has changed. */
ab_status psr_step(psr_system *system, bool *halted);

#endif
