using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Exceptions;

public sealed class InstanceNotFoundException(Guid id)
    : WorkflowException($"There is no instance {id}. An id is given by the answer of POST /instances.")
{
    public Guid Id { get; } = id;
    public override string Code => "instance-not-found";
}

/// <summary>The instance is over: it takes no signals and cannot be cancelled.</summary>
public sealed class InstanceFinishedException : WorkflowException
{
    public InstanceFinishedException(Guid id, string state, string signal)
        : this(id, state, "takes no signals", $"; signal '{signal}' was not accepted")
    {
    }

    /// <summary>For a cancellation.</summary>
    public InstanceFinishedException(Guid id, string state)
        : this(id, state, "cannot be cancelled any more", "")
    {
    }

    private InstanceFinishedException(Guid id, string state, string refusal, string subject)
        : base($"Instance {id} is {state} and {refusal}{subject}. GET /instances/{id} shows how it ended.")
    {
        Id = id;
        State = state;
    }

    public Guid Id { get; }
    public string State { get; }
    public override string Code => "instance-finished";
}

/// <summary>What was asked of an instance is not possible in its state.</summary>
/// <param name="refused">What it cannot be, e.g. <c>suspended</c>.</param>
/// <param name="remedy">What can be done instead, in whole sentences.</param>
public sealed class InstanceStateException(Guid id, string state, string refused, string remedy)
    : WorkflowException($"Instance {id} is {state} and cannot be {refused}. {remedy}")
{
    public Guid Id { get; } = id;
    public string State { get; } = state;
    public override string Code => "instance-state";
}

public sealed class TaskNotFoundException(Guid id) : WorkflowException($"There is no task {id}. GET /tasks lists those there are.")
{
    public Guid Id { get; } = id;
    public override string Code => "task-not-found";
}

/// <summary>The task is not open any more.</summary>
public sealed class TaskClosedException(TaskView task) : WorkflowException(Text(task))
{
    public TaskView Task { get; } = task;

    public override string Code => "task-closed";

    private static string Text(TaskView task)
    {
        var what = task.State switch
        {
            TaskState.Completed => "was completed",
            TaskState.TimedOut => "has timed out",
            _ => "was cancelled",
        };
        var who = task.Assignee is null ? "while nobody had it" : $"while '{task.Assignee}' had it";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"Task {task.Id} {what} at {task.UpdatedUtc.UtcDateTime:O} {who}. GET /tasks/{task.Id} shows it; "
            + $"to repeat a request, send it with its own Idempotency-Key.");
    }
}

public sealed class DeadLetterNotFoundException(Guid id) : WorkflowException(
    $"There is no dead letter {id}. GET /dead-letters lists the open ones; replayed ones are forgotten after a time.")
{
    public Guid Id { get; } = id;
    public override string Code => "dead-letter-not-found";
}

/// <summary>A dead letter was replayed and could not be applied once more. It stays open.</summary>
public sealed class DeadLetterRefusedException(Guid id, int attempts, string reason) : WorkflowException(
    $"Dead letter {id} could not be applied in attempt {attempts} either and stays open: {reason} Remove the cause, then replay it again.")
{
    public Guid Id { get; } = id;
    public int Attempts { get; } = attempts;
    public string Reason { get; } = reason;

    public override string Code => "dead-letter-refused";
}
