namespace Foundation;

/// <summary>
/// The ancestors of this process that must outlive it: .NET processes such as <c>dotnet test</c>, <c>vstest.console</c>
/// and a test host, and in a pipeline (the variable <c>CI</c> is set) all ancestors. Known on Linux only.
/// </summary>
public static class StartingProcesses
{
    /// <summary>The variable that pipelines set.</summary>
    public const string PipelineVariable = "CI";

    private const int Init = 1;

    /// <summary>The ancestors, nearest first; empty if the operating system does not list them.</summary>
    public static IReadOnlyList<StartingProcess> Find() =>
        Find(isPipeline: Environment.GetEnvironmentVariable(PipelineVariable) is { Length: > 0 } and not "false");

    /// <param name="isPipeline">Whether all ancestors count, or only those of .NET.</param>
    public static IReadOnlyList<StartingProcess> Find(bool isPipeline)
    {
        var found = new List<StartingProcess>();
        for (var next = ProcessOwner.Current.FindParent(); next is { Id: > Init }; next = next.FindParent())
        {
            var name = ProcessStat.Read(next.Id)?.Name ?? "";
            if (!isPipeline && !IsDotnet(name))
            {
                break;
            }

            found.Add(new StartingProcess(name, next));
        }

        return found;
    }

    private static bool IsDotnet(string name) =>
        name is "dotnet" || name.StartsWith("testhost", StringComparison.Ordinal)
            || name.StartsWith("vstest", StringComparison.Ordinal);
}
