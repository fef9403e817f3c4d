namespace Workflow.Abstractions.Expressions;

[Flags]
internal enum CallTraits
{
    None = 0,

    /// <summary>It gives booleans.</summary>
    IsTest = 1,

    /// <summary>Lists are passed as they are. To any other function one of a single item is that item.</summary>
    TakesLists = 2,
}
