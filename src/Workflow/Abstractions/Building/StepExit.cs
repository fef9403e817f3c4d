namespace Workflow.Abstractions.Building;

/// <summary>A place that names the step to go to, once that is known.</summary>
internal sealed class StepExit(string path, string missing)
{
    public string Path => path;
    public string Missing => missing;
    public string? Target { get; set; }

    /// <summary>The target as JSON; empty while it is open.</summary>
    public string Json => JsonText.Quote(Target ?? "");

    /// <summary>The member by the last word of the path, or none while it is open.</summary>
    public IEnumerable<(string Name, string Json)> Members =>
        Target is null ? [] : [(path[(path.LastIndexOf('.') + 1)..], Json)];
}
