namespace Workflow.Abstractions.Building;

/// <summary>A step as it is built: its members in the order given.</summary>
internal sealed class StepDraft(DefinitionDraft definition, string id, string type)
{
    // Most are known at once; where a step leads is known when everything was built.
    private readonly List<Func<IEnumerable<(string Name, string Json)>>> _members =
        [Known("type", JsonText.Quote(type))];

    public string Id { get; } = id;
    public string Path { get; } = DefinitionPath.Member("steps", id);
    public string Json => JsonText.Object(_members.SelectMany(member => member()));

    public void Set(string name, string json) => _members.Add(Known(name, json));
    public void Set(string name, Func<string> json) => _members.Add(() => [(name, json())]);

    /// <summary>Adds a member that names a step.</summary>
    public StepExit Exit(string name)
    {
        var exit = ExitWithin(name);
        _members.Add(() => exit.Members);
        return exit;
    }

    /// <summary>Something within a member that names a step.</summary>
    /// <param name="place">Where it stands, e.g. <c>cases[0].next</c>.</param>
    public StepExit ExitWithin(string place) => definition.Exit($"{Path}.{place}", ProblemWithin(place));

    private string ProblemWithin(string place)
    {
        var id = DefinitionPath.Shorten(Id);
        if (place == "start")
        {
            return $"Sub-process '{id}' has no steps; add them in its lambda.";
        }

        if (place == "join" || place.StartsWith("branches", StringComparison.Ordinal))
        {
            return $"Step '{id}' has no join; call Join after it.";
        }

        return $"Step '{id}' leads nowhere: nothing comes after it; add a step there, close the path with End or Fail, "
            + "or name a step with GoTo.";
    }

    private static Func<IEnumerable<(string Name, string Json)>> Known(string name, string json) =>
        () => [(name, json)];
}
