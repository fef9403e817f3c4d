namespace Workflow.Engine.Instances;

/// <summary>
/// The steps at which the failed token of an instance can continue: those that run inside the same fork or sub-process
/// as the step that failed, so that the branches and tokens which that counts stay the same. Joins are not among them,
/// because a token that arrives there ends its branch.
/// </summary>
internal static class RetrySteps
{
    private const int MostNamed = 20;

    /// <summary>The steps, by id; null if no token failed: an event of the instance could not be armed.</summary>
    public static IReadOnlyList<string>? Find(
        WorkflowDefinition definition, IReadOnlyList<Wait> waits, InstanceError? error) =>
        FindToken(waits, error) is { } failed
            ? [.. definition.Steps.Keys.Where(step => IsPossible(definition, failed, step))
                .Order(StringComparer.Ordinal)]
            : null;

    /// <summary>Moves the failed token before another step.</summary>
    /// <returns>False if it cannot continue there; then nothing has changed.</returns>
    public static bool TryMove(LiveInstance instance, string step)
    {
        if (FindToken(instance.Waits, instance.Error) is not { } failed
            || !IsPossible(instance.Definition, failed, step))
        {
            return false;
        }

        if (failed.Step != step)
        {
            instance.Waits[instance.Waits.IndexOf(failed)] =
                Wait.Before(step, failed.Scope, failed.Caught) with { Event = failed.Event };
        }

        return true;
    }

    /// <summary>What prevents the failed token from continuing at a step; null if nothing does.</summary>
    public static InvalidCommandException? FindObstacle(
        WorkflowDefinition definition, IReadOnlyList<Wait> waits, InstanceError? error, string step)
    {
        if (Find(definition, waits, error) is not { } possible)
        {
            return Refuse("No token of the instance has failed: retry it without a step.");
        }

        if (possible.Contains(step, StringComparer.Ordinal))
        {
            return null;
        }

        var reason = definition.Steps.GetValueOrDefault(step) switch
        {
            null => $"Version {definition.Version} of '{definition.Name}' has no such step.",
            JoinStep => "A token that arrives at a join ends its branch.",
            _ => "It is not inside the same fork or sub-process as the step that failed.",
        };
        var names = string.Join(", ", possible.Take(MostNamed)) + (possible.Count > MostNamed ? ", ..." : "");
        return Refuse($"{reason} The retry can continue at: {names}.");

        InvalidCommandException Refuse(string why) =>
            new("step", $"The instance cannot be retried at step '{StoreLimits.Excerpt(step, 128)}'. {why}");
    }

    /// <summary>
    /// The token that failed, which is the first. Behind an error path it is the token that had the error.
    /// </summary>
    private static Wait? FindToken(IReadOnlyList<Wait> waits, InstanceError? error) =>
        waits.FirstOrDefault(wait => wait.Kind == WaitKind.Step && wait.Step == error?.Step)
        ?? waits.Take(1).FirstOrDefault(wait => wait.Kind == WaitKind.Step);

    private static bool IsPossible(WorkflowDefinition definition, Wait failed, string step) =>
        definition.Steps.TryGetValue(step, out var found)
        && (step == failed.Step || found is not JoinStep)
        && definition.Surroundings.GetValueOrDefault(step) == definition.Surroundings.GetValueOrDefault(failed.Step);
}
