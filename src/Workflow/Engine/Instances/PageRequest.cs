namespace Workflow.Engine.Instances;

/// <summary>Which page of a list is read.</summary>
/// <param name="Limit">The maximum number of rows.</param>
/// <param name="After">Only ids after this one; null for any.</param>
/// <param name="Before">Only ids before this one; null for any.</param>
/// <param name="MostExamined">The maximum number of rows to look at; null for any number.</param>
internal readonly record struct PageRequest(int Limit, Guid? After, Guid? Before, bool NewestFirst, int? MostExamined);
