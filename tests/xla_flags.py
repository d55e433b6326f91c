"""How tests have XLA compile: quickly, as most of them compile much and compute little.

XLA:CPU then compiles the same program in a third of the time: without optimising it, by its older way of writing loops,
and in one piece. The results are the same but for the last bits of floats. XLA ends with a message if a version no
longer knows one of these; no test depends on them.

*Source:* measured on this library's programs with jaxlib 0.10.
"""

COMPILES_QUICKLY = (
    "--xla_backend_optimization_level=0",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)
