"""The tools that come with Holdfast, each a small class after the contract of `agent/tool.py`.

`builtin.py` lists them all. File tools reach files only through `workspace.py`.
"""
