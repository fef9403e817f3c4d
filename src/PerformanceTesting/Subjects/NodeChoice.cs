namespace PerformanceTesting.Subjects;

/// <summary>Which node a request goes to: that of its key, or the next one for the next kind of request.</summary>
internal readonly record struct NodeChoice(string Key, int Next);
