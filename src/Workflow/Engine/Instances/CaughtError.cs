namespace Workflow.Engine.Instances;

/// <summary>
/// The error of a step whose <c>onError</c> path a token has taken, with the tokens that a retry starts again if the
/// path ends in a <c>fail</c> step. The token carries it while its steps handle the error:
/// <see cref="WorkflowDefinition.ErrorSteps"/>.
/// </summary>
internal sealed class CaughtError
{
    /// <summary>
    /// The maximum nesting of errors within error paths. Beyond it, the outer errors are not kept, so that every row
    /// can be read.
    /// </summary>
    private const int MaxDepth = 16;

    private CaughtError(string step, int scope, IReadOnlyList<Wait> waits, IReadOnlyList<ForkScope> scopes) =>
        (Step, Scope, Waits, Scopes) = (step, scope, waits, scopes);

    /// <summary>The call or sub-process whose <c>onError</c> path was taken.</summary>
    public string Step { get; }

    /// <summary>The scope in which its token continues.</summary>
    public int Scope { get; }

    /// <summary>The call; or the tokens inside the sub-process and its events. The first one failed.</summary>
    public IReadOnlyList<Wait> Waits { get; }

    /// <summary>The sub-process and the forks inside it that ended with the error; empty for a call.</summary>
    public IReadOnlyList<ForkScope> Scopes { get; }

    /// <summary>The error that the step itself was handling; null if there was none.</summary>
    public CaughtError? Before => Waits[0].Caught;

    /// <summary>The highest number of a scope that a retry opens again; 0 if there is none.</summary>
    public int LastScope => Math.Max(
        Scopes.Count == 0 ? 0 : Scopes.Max(scope => scope.Id), Waits.Max(wait => wait.Caught?.LastScope ?? 0));

    private int Depth => 1 + Waits.Max(wait => wait.Caught?.Depth ?? 0);

    /// <param name="waits">The failed token first.</param>
    public static CaughtError Of(string step, int scope, IReadOnlyList<Wait> waits, IReadOnlyList<ForkScope> scopes)
    {
        var caught = new CaughtError(step, scope, waits, scopes);
        return caught.Depth <= MaxDepth
            ? caught
            : new CaughtError(step, scope, [.. waits.Select(wait => wait with { Caught = null })], scopes);
    }

    /// <summary>The error of a call, which a retry starts again alone.</summary>
    /// <param name="call">The token before the call.</param>
    public static CaughtError Of(Wait call) => Of(call.Step, call.Scope, [call], []);

    /// <summary>
    /// The error that a token still handles when it enters a step. Null if the token is back on a path that is also
    /// reached without an error and may end well, or has left the scope of the error, or has returned to the step that
    /// failed.
    /// </summary>
    public static CaughtError? Entering(LiveInstance instance, string step, int scope, CaughtError caught)
    {
        var definition = instance.Definition;
        if (!definition.ErrorSteps.Contains(step) && definition.Steps[step] is not FailStep)
        {
            return null;
        }

        var handled = caught;
        for (var one = caught; one is not null; one = one.Before)
        {
            if (one.Step == step)
            {
                handled = one.Before;
            }
        }

        while (handled is not null && !instance.IsWithin(scope, handled.Scope))
        {
            handled = handled.Before;
        }

        return handled;
    }

    /// <summary>
    /// Keeps the failed token for a retry: the token before its step; or, if the step is a <c>fail</c> step on an error
    /// path, the tokens that had the error. What the error path started beside the token ends with it.
    /// </summary>
    /// <param name="waits">The other tokens that the retry continues.</param>
    /// <param name="scopes">The scopes of those tokens.</param>
    public static void Keep(WorkflowDefinition definition, List<Wait> waits, List<ForkScope> scopes, Wait failed)
    {
        if (failed.Caught is not { } caught || definition.Steps[failed.Step] is not FailStep)
        {
            waits.Insert(0, failed);
            return;
        }

        if (failed.Scope != caught.Scope)
        {
            var outermost = scopes.Find(scope => scope.Id == failed.Scope)!;
            while (outermost.Parent != caught.Scope)
            {
                outermost = scopes.Find(scope => scope.Id == outermost.Parent)!;
            }

            var within = LiveInstance.ScopesWithin(scopes, outermost.Id);
            waits.RemoveAll(wait => within.Contains(wait.Scope));
            scopes.RemoveAll(scope => within.Contains(scope.Id));
        }

        waits.InsertRange(0, caught.Waits);
        scopes.AddRange(caught.Scopes);
    }
}
