namespace Workflow.Bpmn;

/// <summary>Which variables a result becomes.</summary>
internal enum OutputRule
{
    /// <summary>
    /// Those of the mapping, computed over the result and the process; all of the process where there is no mapping.
    /// </summary>
    Mapped,

    /// <summary>Those of the mapping, computed over the result alone.</summary>
    OfResult,

    /// <summary>All of the process, then those of the mapping.</summary>
    AllAndMapped,
}
