namespace Workflow.Engine.Commands;

/// <summary>The kinds of messages that are commands of other nodes.</summary>
internal static class RemoteKind
{
    /// <summary>
    /// A signal that is accepted with its message, so no caller waits for a reply: for a store that keeps no addresses
    /// of nodes.
    /// </summary>
    public const string Signal = "signal";

    /// <summary>A signal whose caller waits until its owner has applied it.</summary>
    public const string Send = "send";

    public const string Start = "start";
    public const string Cancel = "cancel";
    public const string Suspend = "suspend";
    public const string Resume = "resume";
    public const string Retry = "retry";
    public const string Assign = "assign";
    public const string Complete = "complete";
    public const string Replay = "replay";

    /// <summary>A definition was registered; raises its event.</summary>
    public const string Register = "register";
}
