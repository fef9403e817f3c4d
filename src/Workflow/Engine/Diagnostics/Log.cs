namespace Workflow.Engine.Diagnostics;

internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Information, "The engine owns {Store} with {Lanes} lanes.")]
    public static partial void EngineStarted(ILogger logger, string store, int lanes);

    [LoggerMessage(
        2, LogLevel.Information,
        "Lane {Lane} loaded {Signals} signals and {Messages} messages and accepts commands. It has {Instances} "
            + "instances in memory, or reads them now; {Dormant} are dormant.")]
    public static partial void LaneLoaded(
        ILogger logger, int lane, int signals, int messages, long instances, long dormant);

    [LoggerMessage(
        50, LogLevel.Information, "Lane {Lane} has all {Instances} instances in memory again, after {Seconds:0.0} s.")]
    public static partial void LaneRecovered(ILogger logger, int lane, int instances, double seconds);

    [LoggerMessage(
        51, LogLevel.Warning,
        "Lane {Lane} cannot read the instances that it had in memory; it tries again in {PauseMs} ms.")]
    public static partial void RecoveryFailed(ILogger logger, Exception error, int lane, double pauseMs);

    [LoggerMessage(
        52, LogLevel.Warning,
        "Lane {Lane} cannot read the timers of dormant instances; it tries again in {PauseMs} ms.")]
    public static partial void DueFailed(ILogger logger, Exception error, int lane, double pauseMs);

    [LoggerMessage(
        45, LogLevel.Information,
        "Lane {Lane} has read the slots of {Waits} waits of dormant instances in {Seconds:0.0} s.")]
    public static partial void SlotsRead(ILogger logger, int lane, long waits, double seconds);

    [LoggerMessage(
        46, LogLevel.Warning,
        "Lane {Lane} cannot read the slots of dormant instances; it tries again in {PauseMs} ms.")]
    public static partial void SlotsFailed(ILogger logger, Exception error, int lane, double pauseMs);

    [LoggerMessage(
        3, LogLevel.Warning,
        "Lane {Lane} could not commit a batch of {Commands} commands ({Failure}); it reloads and repeats them.")]
    public static partial void FlushFailed(ILogger logger, Exception error, int lane, int commands, string failure);

    [LoggerMessage(
        44, LogLevel.Warning,
        "The store has not answered lane {Lane} for {Seconds} s; commands are refused until it does.")]
    public static partial void StoreSilent(ILogger logger, int lane, int seconds);

    [LoggerMessage(4, LogLevel.Warning, "Lane {Lane} cannot load from the store; it tries again in {PauseMs} ms.")]
    public static partial void LoadFailed(ILogger logger, Exception error, int lane, double pauseMs);

    [LoggerMessage(5, LogLevel.Error, "Lane {Lane} rejected one command: {Command}.")]
    public static partial void CommandRejected(ILogger logger, Exception error, int lane, string command);

    [LoggerMessage(
        6, LogLevel.Critical,
        "Lane {Lane} has stopped: another engine has taken it over. Commands not committed are refused, or sent to the "
            + "new owner.")]
    public static partial void LaneFenced(ILogger logger, Exception error, int lane);

    [LoggerMessage(
        7, LogLevel.Warning,
        "The relay of stream {Stream} could not {What} event {Sequence}; it tries again in {PauseMs} ms.")]
    public static partial void RelayFailed(
        ILogger logger, Exception error, string what, int stream, long sequence, double pauseMs);

    [LoggerMessage(8, LogLevel.Error, "Events of stream {Stream} were trimmed before they could be published.")]
    public static partial void EventsTrimmed(ILogger logger, int stream);

    [LoggerMessage(9, LogLevel.Error, "The receiver of signal '{Signal}' failed; it is called again in {PauseMs} ms.")]
    public static partial void ReceiverFailed(ILogger logger, Exception error, string signal, double pauseMs);

    [LoggerMessage(
        10, LogLevel.Warning,
        "Old events and idempotency keys could not be trimmed; the engine tries again later.")]
    public static partial void TrimFailed(ILogger logger, Exception error);

    [LoggerMessage(11, LogLevel.Critical, "Lane {Lane} has stopped on an error of its own.")]
    public static partial void LaneBroken(ILogger logger, Exception error, int lane);

    [LoggerMessage(
        12, LogLevel.Error,
        "The receiver of signal '{Signal}' failed in each of {Attempts} calls; the signal becomes a dead letter.")]
    public static partial void ReceiverGaveUp(ILogger logger, Exception error, string signal, int attempts);

    [LoggerMessage(
        13, LogLevel.Critical,
        "Lane {Lane} could not store a dead letter of the {Command}; it is not tried again before a restart.")]
    public static partial void DeadLetterRejected(ILogger logger, Exception error, int lane, string command);

    [LoggerMessage(
        20, LogLevel.Error,
        "Sub-workflow {Instance} of '{Definition}' is live, but instance {Parent}, which called it, does not wait for "
            + "it: it is an orphan. Cancel it.")]
    public static partial void OrphanFound(ILogger logger, Guid instance, string definition, Guid parent);

    [LoggerMessage(30, LogLevel.Information, "Node {Node} has taken lane {Lane}.")]
    public static partial void LaneTaken(ILogger logger, int lane, string node);

    [LoggerMessage(31, LogLevel.Information, "Node {Node} has released lane {Lane}.")]
    public static partial void LaneReleased(ILogger logger, int lane, string node);

    [LoggerMessage(
        32, LogLevel.Warning,
        "Node {Node} could not take or release lane {Lane}; it tries again at the next renewal.")]
    public static partial void MoveFailed(ILogger logger, Exception error, int lane, string node);

    [LoggerMessage(33, LogLevel.Warning, "Node {Node} could not renew its leases; it tries again.")]
    public static partial void RenewalFailed(ILogger logger, Exception error, string node);

    [LoggerMessage(34, LogLevel.Warning, "Node {Node} could not leave; its leases run out within {LeaseSeconds} s.")]
    public static partial void LeaveFailed(ILogger logger, Exception error, string node, double leaseSeconds);

    [LoggerMessage(
        39, LogLevel.Critical,
        "Node {Node} has another number of lanes than the other nodes now. It has left: restart it.")]
    public static partial void NodeLeftBehind(ILogger logger, Exception error, string node);

    [LoggerMessage(35, LogLevel.Warning, "The inboxes could not be read; they are read again at the next interval.")]
    public static partial void InboxFailed(ILogger logger, Exception error);

    [LoggerMessage(36, LogLevel.Warning, "Replies could not be read; they are read again.")]
    public static partial void RepliesFailed(ILogger logger, Exception error);

    [LoggerMessage(
        37, LogLevel.Warning,
        "Lane {Lane} could not store its published position; the next owner publishes some events again.")]
    public static partial void CursorFailed(ILogger logger, Exception error, int lane);

    [LoggerMessage(
        40, LogLevel.Warning,
        "The node at {Address} did not answer ({Outcome}). It is asked again every {Seconds} s; until it answers, "
        + "its inbox is used.")]
    public static partial void PeerFailed(ILogger logger, Uri address, string outcome, double seconds);

    [LoggerMessage(48, LogLevel.Information, "The node at {Address} answers again.")]
    public static partial void PeerBack(ILogger logger, Uri address);

    [LoggerMessage(
        41, LogLevel.Warning,
        "Definitions of other nodes could not be read; they are read again at the next renewal.")]
    public static partial void DefinitionsFailed(ILogger logger, Exception error);

    [LoggerMessage(
        42, LogLevel.Warning,
        "{Calls} calls of activities go on {Seconds} s after they were cancelled; their lane ends.")]
    public static partial void CallsLeft(ILogger logger, int calls, double seconds);

    [LoggerMessage(
        43, LogLevel.Warning,
        "This build cannot read version {Version} of definition '{Name}': its instances need a node of the build that "
            + "registered it.")]
    public static partial void DefinitionUnreadable(ILogger logger, Exception error, string name, int version);

    [LoggerMessage(38, LogLevel.Warning, "The ends of event streams could not be read; they are read again.")]
    public static partial void StreamsFailed(ILogger logger, Exception error);
}
