namespace Workflow.Abstractions.Expressions;

/// <summary>
/// The path of the value that is looked at. It becomes a text for an error alone: a document of a megabyte has half a
/// million values, whose paths together may be a thousand times as long.
/// </summary>
internal sealed class PathTrail(string root)
{
    private readonly List<(string? Name, int Index)> _below = [];

    public void Enter(string name) => _below.Add((name, 0));
    public void Enter(int index) => _below.Add((null, index));
    public void Leave() => _below.RemoveAt(_below.Count - 1);

    public override string ToString() => _below.Aggregate(root, (path, below) => below.Name is { } name
        ? DefinitionPath.Member(path, name)
        : DefinitionPath.Item(path, below.Index));
}
