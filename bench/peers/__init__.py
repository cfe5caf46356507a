"""What a developer would pick instead: each in its own environment, driven through its own public interface."""
