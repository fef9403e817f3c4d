namespace Workflow.Engine.Execution;

/// <summary>What a batch did, counted only once it is committed.</summary>
internal sealed class BatchTally
{
    public int Started { get; set; }

    public int Completed { get; set; }

    public int Failed { get; set; }

    public int Signals { get; set; }

    public int Messages { get; set; }

    public int DeadLettered { get; set; }
}
