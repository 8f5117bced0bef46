/* `antbench doctor`: prints what on this machine will spoil times (bench/clock/doctor.h). */
#ifndef ANTBENCH_BENCH_DOCTOR_H
#define ANTBENCH_BENCH_DOCTOR_H

/* Runs the whole command line and returns the exit code. */
int ab_doctor_main(int argc, char **argv);

#endif
