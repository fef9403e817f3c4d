namespace Workflow.Engine.Inboxes;

/// <summary>Kinds of messages that are commands of callers at other nodes.</summary>
internal static class RemoteKind
{
    /// <summary>A signal: accepted with the message, so that nobody waits for an answer.</summary>
    public const string Signal = "signal";

    public const string Start = "start";

    public const string Cancel = "cancel";

    public const string Assign = "assign";

    public const string Complete = "complete";

    public const string Replay = "replay";
}
