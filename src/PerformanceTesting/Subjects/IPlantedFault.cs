using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;

namespace PerformanceTesting.Subjects;

/// <summary>A regression on purpose in one measurement. Thread-safe. By default each member changes nothing.</summary>
public interface IPlantedFault
{
    /// <summary>The warm-up is over: what happens once happens from now on.</summary>
    void BeginMeasuring()
    {
    }

    /// <summary>Puts the cost of it into a store.</summary>
    /// <exception cref="ArgumentException">It needs another kind of store.</exception>
    IWorkflowStore Around(IWorkflowStore store, string? connectionString) => store;

    /// <summary>Whether the next event reaches the consumer at all.</summary>
    bool Delivers(IntegrationEvent sent) => true;

    /// <summary>When a delayed event arrives; null for at once.</summary>
    Task? DelayOf(IntegrationEvent sent) => null;

    /// <summary>When an event is delivered again; null for never.</summary>
    Task? DeliversAgainWhen(IntegrationEvent sent) => null;

    /// <summary>
    /// Whether the next start is sent a second time, as by a client that repeats it without an idempotency key.
    /// </summary>
    bool StartsTwice() => false;
}
