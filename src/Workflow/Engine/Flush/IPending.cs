namespace Workflow.Engine.Flush;

/// <summary>Live data of a lane that becomes a pending row, unless it is removed before its batch is sealed.</summary>
internal interface IPending
{
    Guid Id { get; }

    PendingRow ToRow(JsonBuffer json);
}
