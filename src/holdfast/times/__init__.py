"""Times in words: "last Tuesday", "in May", "tomorrow at 9", 「上周三」, 「来週の水曜日」.

A small grammar for English, Chinese and Japanese. It finds the words of a text that name a time and gives every
reading that they allow. What it does not know it does not guess: those words name no time for it.
"""
