namespace Workflow.Abstractions;

/// <summary>Whether a figure only grows while the engine runs, or is a value of now.</summary>
public enum CounterKind
{
    Counter,
    Gauge,
}
