namespace Workflow.Abstractions.Expressions;

/// <summary>One of + - * / and what stands at its right.</summary>
internal readonly record struct ChainTerm(char Operation, Node Operand);
