namespace Workflow.Abstractions;

/// <summary>The kinds of <see cref="Value"/>.</summary>
public enum ValueKind
{
    /// <summary>Absent.</summary>
    Null,

    /// <summary>True or false.</summary>
    Boolean,

    /// <summary>A decimal number.</summary>
    Number,

    /// <summary>Text.</summary>
    String,

    /// <summary>An ordered list.</summary>
    List,

    /// <summary>Named members.</summary>
    Context,
}
