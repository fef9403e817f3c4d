namespace LoadTesting.Core.Reporting.Html;

/// <summary>A column of a table: its name, the unit of its figures, and whether they are figures.</summary>
internal sealed record Column(string Name, string? Unit = null, bool Numeric = true)
{
    public static readonly Column[] Latency =
    [
        new("n"), new("avg", "ms"), new("p50", "ms"), new("p95", "ms"), new("p99", "ms"), new("max", "ms"),
    ];

    /// <summary>The two columns of a table of facts; tables below one another align.</summary>
    public static readonly Column[] Facts = [Words("What") with { Style = "fact" }, Words("Value")];

    public string Style { get; init; } = Numeric ? "number" : "text";

    public static Column Words(string name) => new(name, Numeric: false);
}
