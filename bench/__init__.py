"""Side-by-side measurements: Holdfast, bare system calls, and what a developer would pick or write instead.

`python -m bench` runs them. Each contender is a process of its own (`ours`, `floor`, `simple`, `peers/…`), asked for
short rounds in turn, so that a busy machine slows all of them alike and the memory of each is its own. Modules that run
inside another project's environment (`child`, `texts`, `conversation`, `peers/nanobot`, `peers/openai_agents`) use the
standard library alone.
"""
