namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What a row of a <see cref="ComparisonTable"/> is.</summary>
public enum ComparisonRowKind
{
    /// <summary>One cell that heads the rows below it.</summary>
    Group,

    /// <summary>A cell for each column.</summary>
    Values,

    /// <summary>A cell for each column, of a result that is not there.</summary>
    Missing,

    /// <summary>One cell of text that belongs to the row above.</summary>
    Detail,
}
