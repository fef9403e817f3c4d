namespace Workflow.Abstractions.Exceptions;

/// <summary>The base of every error the engine reports to a caller.</summary>
public abstract class WorkflowException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>A stable, kebab-case name of the kind of error, e.g. <c>instance-not-found</c>.</summary>
    public abstract string Code { get; }
}

/// <summary>An argument of a command is out of its range.</summary>
public sealed class InvalidCommandException(string parameter, string message) : WorkflowException(message)
{
    public string Parameter { get; } = parameter;
    public override string Code => "invalid-command";
}

/// <summary>The store refused this one command; others were not affected.</summary>
public sealed class CommandRejectedException(string message, Exception? inner = null) : WorkflowException(message, inner)
{
    public override string Code => "command-rejected";
}

/// <summary>An idempotency key was used before for something else.</summary>
public sealed class IdempotencyConflictException(string key) : WorkflowException(
    $"The idempotency key '{key}' was used before with another request. "
    + "Use a new key for a new request, and the same key only to repeat the same one.")
{
    public string Key { get; } = key;
    public override string Code => "idempotency-conflict";
}

/// <summary>As many signals are kept for later as may be: for the instance, for the key, or in the lane.</summary>
public sealed class SignalsFullException(string what, TimeSpan retryAfter) : WorkflowException(
    $"{what} Retry after {retryAfter.TotalSeconds:0.#} s, when some were taken or have expired.")
{
    public TimeSpan RetryAfter { get; } = retryAfter;
    public override string Code => "signals-full";
}

/// <summary>A lane, or a node's queue to other nodes, has as many commands pending as it accepts.</summary>
public sealed class OverloadedException : WorkflowException
{
    public OverloadedException(int pending, int limit, TimeSpan retryAfter)
        : this($"{pending} commands pending for this lane, its limit is {limit}", "MaxPendingCommands", retryAfter)
    {
    }

    private OverloadedException(string what, string option, TimeSpan retryAfter)
        : base($"The engine has {what}. Retry after {retryAfter.TotalSeconds:0.#} s, or raise {option}.") => RetryAfter = retryAfter;

    private OverloadedException(string message, TimeSpan retryAfter)
        : base(message) => RetryAfter = retryAfter;

    public TimeSpan RetryAfter { get; }
    public override string Code => "overloaded";

    /// <summary>The node that owns the lane has said so.</summary>
    public static OverloadedException OfOwner(string message, TimeSpan retryAfter) => new(message, retryAfter);

    /// <summary>The pending commands are too large together, in characters of their values as JSON.</summary>
    public static OverloadedException OfSize(long pending, long limit, TimeSpan retryAfter) => new(
        $"pending commands with {pending} characters of values for this lane, its limit is {limit}", "MaxPendingSize", retryAfter);
}
