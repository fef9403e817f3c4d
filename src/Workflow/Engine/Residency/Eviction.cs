namespace Workflow.Engine.Residency;

/// <summary>An instance that becomes dormant with a batch.</summary>
internal sealed class Eviction(LiveInstance instance, DormantRecord record)
{
    public LiveInstance Instance => instance;
    public DormantRecord Record => record;

    /// <summary>Whether the sealed batch moves it; false if the batch changes it instead.</summary>
    public bool IsWritten { get; set; }
}
