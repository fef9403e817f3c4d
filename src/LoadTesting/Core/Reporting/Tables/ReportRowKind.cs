namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The kind of a row of a <see cref="ReportTable"/>.</summary>
public enum ReportRowKind
{
    /// <summary>One cell that heads the rows below it.</summary>
    Group,

    /// <summary>A cell for each column.</summary>
    Values,

    /// <summary>A cell for each column, of a missing result.</summary>
    Missing,

    /// <summary>One cell of text that belongs to the row above.</summary>
    Detail,
}
