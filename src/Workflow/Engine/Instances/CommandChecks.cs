namespace Workflow.Engine.Instances;

/// <summary>
/// Refuses commands before they reach a lane if their arguments cannot be stored or are larger than an instance may be.
/// </summary>
internal static class CommandChecks
{
    public static void Check(StartCommand command, int maxSize)
    {
        CheckText("correlationKey", command.CorrelationKey, StoreLimits.MaxCorrelationKey, required: false);
        CheckKey(command.IdempotencyKey);
        if (command.Input.Kind is not (ValueKind.Null or ValueKind.Context))
        {
            throw new InvalidCommandException(
                "input",
                $"The input is a {command.Input.Kind}; it must be an object whose members become the first variables.");
        }

        CheckValue("input", command.Input, maxSize);
    }

    public static void Check(SignalCommand command, int maxSize)
    {
        CheckText("name", command.Name, StoreLimits.MaxName, required: true);
        CheckText(
            "correlationKey", command.CorrelationKey, StoreLimits.MaxCorrelationKey,
            required: command.InstanceId is null);
        CheckKey(command.IdempotencyKey);
        if (command.CorrelationKey is not null && command.InstanceId is not null)
        {
            throw new InvalidCommandException(
                "correlationKey", "A signal goes to a correlation key or to an instance, not to both: leave one out.");
        }

        if (command.DueAt is not null && command.InstanceId is not null)
        {
            throw new InvalidCommandException(
                "dueAt", "Only a signal with a correlation key can be delayed: leave dueAt out, or send it by key.");
        }

        if (command.DueAt is { } dueAt && StoreLimits.InstantProblem(dueAt) is { } problem)
        {
            throw new InvalidCommandException("dueAt", $"'dueAt' {problem}.");
        }

        CheckValue("payload", command.Payload, maxSize);
    }

    public static void Check(CompleteTaskCommand command, int maxSize)
    {
        CheckKey(command.IdempotencyKey);
        CheckValue("output", command.Output, maxSize);
    }

    public static void Check(RetryCommand command, int maxSize)
    {
        CheckKey(command.IdempotencyKey);
        CheckText("step", command.Step, StoreLimits.MaxName, required: false);
        if (command.Variables.Kind is not (ValueKind.Null or ValueKind.Context))
        {
            throw new InvalidCommandException(
                "variables", $"The variables are a {command.Variables.Kind}; they must be an object whose members "
                    + "become variables.");
        }

        CheckValue("variables", command.Variables, maxSize);
    }

    private static void CheckLimit(int limit)
    {
        if (limit is < 1 or > 1_000)
        {
            throw new InvalidCommandException("limit", $"'limit' is {limit}; it must be 1 to 1000.");
        }
    }

    public static void CheckKey(string? idempotencyKey) =>
        CheckText("Idempotency-Key", idempotencyKey, StoreLimits.MaxIdempotencyKey, required: false);

    public static void CheckAssignee(string assignee) =>
        CheckText("assignee", assignee, StoreLimits.MaxAssignee, required: true);

    public static void Check(InstanceQuery query)
    {
        CheckLimit(query.Limit);
        CheckMostExamined(query.MostExamined);
        CheckFilter("definition", query.Definition);
        CheckFilter("definitionPrefix", query.DefinitionPrefix);
        CheckFilter("correlationKey", query.CorrelationKey);
        CheckFilter("correlationKeyPrefix", query.CorrelationKeyPrefix);
        if (query.IdPrefix is { } prefix && IdBounds.OfPrefix(prefix) is null)
        {
            throw new InvalidCommandException(
                "idPrefix",
                $"'idPrefix' is '{StoreLimits.Excerpt(prefix, 40)}'; it must be the first characters of an id with its "
                    + "hyphens, such as 01890a5d-ac.");
        }
    }

    public static void Check(DeadLetterQuery query)
    {
        CheckLimit(query.Limit);
        CheckMostExamined(query.MostExamined);
    }

    public static void CheckMostExamined(int? most)
    {
        if (most < 1)
        {
            throw new InvalidCommandException("mostExamined", $"'mostExamined' is {most}; it must be 1 or more.");
        }
    }

    public static void Check(TaskQuery query)
    {
        CheckLimit(query.Limit);
        CheckMostExamined(query.MostExamined);
        CheckFilter("assignee", query.Assignee);
        CheckFilter("group", query.Group);
    }

    private static void CheckText(string parameter, string? text, int limit, bool required)
    {
        if (text is null ? required : StoreLimits.TextProblem(text, limit) is not null)
        {
            throw new InvalidCommandException(
                parameter, $"'{parameter}' {StoreLimits.TextProblem(text ?? "", limit)}.");
        }
    }

    /// <summary>
    /// Refuses texts that cannot be stored. No row contains them, and a server refuses to search for them.
    /// </summary>
    private static void CheckFilter(string parameter, string? text)
    {
        if (text is not (null or "") && StoreLimits.TextProblem(text, int.MaxValue) is { } problem)
        {
            throw new InvalidCommandException(parameter, $"'{parameter}' {problem}.");
        }
    }

    private static void CheckValue(string parameter, Value value, int maxSize)
    {
        if (StoreLimits.ValueProblem(value, maxSize) is { } problem)
        {
            throw new InvalidCommandException(parameter, $"'{parameter}' {problem}.");
        }
    }
}
