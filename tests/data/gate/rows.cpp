// The program of google.json: seven processes of each side in turns, with --benchmark_repetitions=5
// --benchmark_min_time=0.03; "slower" is built with -DEXTRA=10. It needs Google Benchmark (Debian: libbenchmark-dev):
//   g++ -O2 rows.cpp -lbenchmark -lpthread -o rows
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>
#ifndef EXTRA
#define EXTRA 0
#endif
static void poly(benchmark::State &s)
{
    long n = s.range(0) * (100 + EXTRA) / 100;
    for (auto _ : s) {
        double x = 0.5;
        for (long i = 0; i < n; i++) x = x * 0.999 + 0.1;
        benchmark::DoNotOptimize(x);
    }
}
BENCHMARK(poly)->Arg(1000)->Arg(100000);
static void sort_(benchmark::State &s)
{
    std::vector<int> v(s.range(0)), w;
    std::mt19937 r(1);
    for (auto &x : v) x = r();
    for (auto _ : s) {
        w = v;
        std::sort(w.begin(), w.end());
        benchmark::DoNotOptimize(w.data());
    }
}
BENCHMARK(sort_)->Name("sort")->Arg(1000);
static void sum(benchmark::State &s)
{
    std::vector<float> v(s.range(0), 1.5f);
    for (auto _ : s) {
        float x = 0;
        for (float f : v) x += f;
        benchmark::DoNotOptimize(x);
    }
}
BENCHMARK(sum)->Arg(4096);
BENCHMARK_MAIN();
