namespace UnitTests.PerformanceTesting.Backends;

/// <summary>
/// Replies in the shape that the server's manual gives them, written by hand: names and nesting are the manual's,
/// numbers are made up, and no server was asked.
/// </summary>
internal static class Replies
{
    public static string Of(string name) =>
        File.ReadAllText(
            Path.Combine(Checkout.Root, $"tests/UnitTests/PerformanceTesting/Backends/Replies/{name}.json"));

    /// <summary>A reply with some numbers grown; a path is divided by bars, as names hold points.</summary>
    public static string Grown(string reply, params (string Path, long By)[] changes)
    {
        var root = JsonNode.Parse(reply)!;
        foreach (var (path, by) in changes)
        {
            var names = path.Split('|');
            var parent = names[..^1].Aggregate(root, (node, name) => node[name]!);
            parent[names[^1]] = parent[names[^1]]!.GetValue<long>() + by;
        }

        return root.ToJsonString();
    }
}
