namespace UnitTests.Workflow.Oracle;

/// <summary>A call as the server sees it.</summary>
/// <param name="Text">The statement.</param>
/// <param name="BindsByName">Whether the driver was asked to.</param>
/// <param name="Values">The bound values by name; null is SQL null.</param>
/// <param name="Documents">Names of those that were bound as a CLOB.</param>
/// <param name="Outputs">Names of out parameters, each with its size.</param>
/// <param name="IsInTransaction">Whether the client had begun a transaction.</param>
/// <param name="Seconds">The command's own limit.</param>
/// <param name="ConnectionString">Of the connection it came by.</param>
internal sealed record FakeCall(
    string Text,
    bool BindsByName,
    IReadOnlyDictionary<string, object?> Values,
    IReadOnlySet<string> Documents,
    IReadOnlyDictionary<string, int> Outputs,
    bool IsInTransaction,
    int Seconds,
    string ConnectionString)
{
    /// <summary>The name of its file; the first words of a statement of the schema.</summary>
    public string Name { get; } = OracleSql.NameOf(Text)
        ?? string.Join(' ',
            OracleSql.Bare(Text, keepTexts: true).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).Take(3));
}
