using LoadTesting.Core.Load;
using PerformanceTesting.Subjects;
using PerformanceTests.Running;

namespace PerformanceTests.Scenarios;

/// <summary>
/// A scenario: its question, load and pass rule. Names, operations, concurrency and signal workers of the seed's scenarios never change:
/// they are the comparison.
/// </summary>
public abstract class WorkflowScenario
{
    /// <summary>Name without the profile.</summary>
    public abstract string Name { get; }

    /// <summary>One of the six tiers.</summary>
    public abstract string Tier { get; }

    /// <summary>What it answers.</summary>
    public abstract string Question { get; }

    /// <summary>Operations in all.</summary>
    public abstract int Operations { get; }

    /// <summary>Operations at a time.</summary>
    public abstract int Concurrency { get; }

    /// <summary>Lanes that the engine is given; null leaves them at the engine's default, where the seed is silent.</summary>
    public virtual int? SignalWorkers => null;

    /// <summary>File names in <c>fixtures/definitions</c>, without extension.</summary>
    public virtual IReadOnlyList<string> Definitions => [];

    /// <summary>Signals that go to a receiver instead of an instance.</summary>
    public virtual IReadOnlyList<string> Receivers => [];

    /// <summary>The event that ends an operation.</summary>
    public abstract string CompletionEvent { get; }

    /// <summary>Phases that must have a sample for every completed operation.</summary>
    public abstract IReadOnlyList<string> Phases { get; }

    /// <summary>Whether an operation is an instance; else it is a signal to a receiver.</summary>
    public virtual bool StartsInstances => true;

    /// <summary>How long after the publish the operation may complete at the earliest; zero for at once.</summary>
    public virtual TimeSpan DueAfter => TimeSpan.Zero;

    /// <summary>How long the load lasts, where it is not the number of operations that ends it; null by default.</summary>
    public virtual TimeSpan? Duration => null;

    /// <summary>When the service is idle in the course of the load.</summary>
    public virtual WaveShape Shape => WaveShape.Together;

    /// <summary>How long an operation may take from its beginning, or from the moment it is due; then its completion is lost. Default 30 s.</summary>
    public virtual TimeSpan CompletionTimeout => TimeSpan.FromSeconds(30);

    /// <summary>Operations that warm up and are not counted. Default 32.</summary>
    public virtual int WarmUpOperations => 32;

    /// <summary>
    /// Requests that are iterations of their own; an operation takes this many. Default 1: all of an operation is one iteration. With 2, every
    /// operation's first iteration ends before the first second one begins.
    /// </summary>
    public virtual int IterationsPerOperation => 1;

    /// <summary>What a reader of the result should know about the load.</summary>
    public virtual IReadOnlyList<string> Remarks => [];

    /// <summary>One iteration.</summary>
    public abstract Task<IResponse> RunAsync(IScenarioContext context, Wave wave, WorkflowSubject subject);
}
