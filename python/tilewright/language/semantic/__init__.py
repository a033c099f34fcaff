"""The meaning of each operation: promotion and broadcasting of its operands, then the ops that it becomes.

One module for each group of operations. Functions here take tensors or plain Python numbers (literals).
"""
