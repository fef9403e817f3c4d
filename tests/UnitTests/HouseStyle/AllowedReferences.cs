namespace UnitTests.HouseStyle;

/// <summary>Which folder's project may refer to which, by their paths from the root.</summary>
internal static partial class AllowedReferences
{
    private const string Workflow = "src/Workflow/";
    private const string LoadTesting = "src/LoadTesting/";
    private const string PerformanceTesting = "src/PerformanceTesting";
    private const string Measurement = PerformanceTesting + "/Measurement";

    public static bool Allows(string from, string to)
    {
        if (to == "src/Foundation")
        {
            // What services, stores and the instrument share and no library gives. Wire shapes need none of it, and it
            // needs nobody.
            return from != to && !from.EndsWith("/Contracts", StringComparison.Ordinal);
        }

        if (from.StartsWith("tests/", StringComparison.Ordinal))
        {
            return true;
        }

        if (from.StartsWith(LoadTesting, StringComparison.Ordinal))
        {
            // The instrument does not know workflows, and its parts do not know each other.
            return from != LoadTesting + "Core" && to == LoadTesting + "Core";
        }

        if (from is Measurement or PerformanceTesting + "/XunitV3")
        {
            // The measurement knows no system, and only the adapter knows a test framework.
            return to == (from == Measurement ? LoadTesting + "Core" : Measurement);
        }

        if (from == PerformanceTesting)
        {
            // Puts the systems and the instrument together, and calls the web service over HTTP only.
            return to is not (Workflow + "WebService" or PerformanceTesting + "/XunitV3");
        }

        // Payments knows neither Workflow nor the instrument. Add a new folder to this table first.
        if (!from.StartsWith(Workflow, StringComparison.Ordinal) || !to.StartsWith(Workflow, StringComparison.Ordinal))
        {
            return false;
        }

        return AllowsInWorkflow(from[Workflow.Length..], to[Workflow.Length..]);
    }

    private static bool AllowsInWorkflow(string from, string to) => from switch
    {
        "WebService" => true, // The deployable: the only place that sees all adapters.
        "Contracts" => false,
        "Abstractions" or "Client" => to == "Contracts",
        "Engine" or "Bpmn" or "Diagrams" => to is "Abstractions" or "Contracts",
        _ when Adapter().IsMatch(from) => to is "Abstractions" or "Contracts",
        _ => false, // A new kind of project takes its place in this table first.
    };

    [GeneratedRegex(@"^(Stores|Notifications|Events)/\w+$")]
    private static partial Regex Adapter();
}
