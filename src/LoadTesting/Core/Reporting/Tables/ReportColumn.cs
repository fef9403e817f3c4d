namespace LoadTesting.Core.Reporting.Tables;

/// <param name="Name">Its heading.</param>
/// <param name="Unit">Unit of its figures; null without one.</param>
/// <param name="IsNumeric">Whether it holds figures, which align to the right.</param>
public sealed record ReportColumn(string Name, string? Unit = null, bool IsNumeric = true)
{
    /// <summary>The columns of <see cref="Figures.Latency"/>.</summary>
    internal static readonly ReportColumn[] Latency =
        [new("n"), new("avg", "ms"), new("p50", "ms"), new("p95", "ms"), new("p99", "ms"), new("max", "ms")];

    /// <summary>Name and unit, where both stand in one line.</summary>
    public string Heading => Unit is null ? Name : $"{Name} {Unit}";

    /// <summary>Class of the style sheet.</summary>
    internal string Style { get; init; } = IsNumeric ? "number" : "text";

    internal static ReportColumn Text(string name) => new(name, IsNumeric: false);
}
