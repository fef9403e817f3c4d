using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Bpmn;

/// <summary>Something in a BPMN file that is not imported.</summary>
/// <param name="Element">The kind of element, e.g. <c>complexGateway</c>; empty for the file itself.</param>
/// <param name="Id">Its id; null where it has none.</param>
/// <param name="Name">What a person calls it; null where it has no name.</param>
/// <param name="Line">From 1.</param>
/// <param name="Column">From 1.</param>
/// <param name="Message">What is not imported and why, and what to use instead.</param>
public sealed record BpmnFinding(string Element, string? Id, string? Name, int Line, int Column, string Message)
{
    /// <summary>The element as a message names it, e.g. <c>scriptTask 'sum' ("Add up")</c>.</summary>
    public string Subject => Element.Length == 0 ? "the file"
        : $"{Element}{(Id is null ? "" : $" '{Id}'")}{(Name is null ? "" : $" (\"{Name}\")")}";

    public override string ToString() => $"line {Line}, column {Column}, {Subject}: {Message}";
}

/// <summary>A BPMN file cannot be imported; everything that was found is listed.</summary>
public sealed class BpmnInvalidException(IReadOnlyList<BpmnFinding> findings) : WorkflowException(
    $"The BPMN file has {findings.Count} finding(s): {string.Join(" | ", findings)}")
{
    public IReadOnlyList<BpmnFinding> Findings { get; } = findings;
    public override string Code => "definition-invalid";
}

/// <summary>Collects what is found, as much of it as somebody would read.</summary>
internal sealed class FindingList
{
    /// <summary>How many findings are reported at most; the last one then counts the others.</summary>
    public const int Max = 200;

    private const int LongestName = 80;
    private readonly List<BpmnFinding> _found = [];
    private readonly HashSet<BpmnElement> _concerned = [];
    private int _more;

    public int Count => _found.Count + _more;

    /// <summary>Whether something was found in it.</summary>
    public bool Concerns(BpmnElement element) => _concerned.Contains(element);

    public void AddToFile(int line, int column, string message) =>
        Add(new("", null, null, Math.Max(1, line), Math.Max(1, column), message));

    public void Add(BpmnElement at, string message) => Add(at, at.Line, at.Column, message);

    public static BpmnFinding Of(BpmnElement at, string message) => Of(at, at.Line, at.Column, message, out _);

    public void Add(BpmnElement at, int line, int column, string message)
    {
        var finding = Of(at, line, column, message, out var named);
        _concerned.Add(named);
        Add(finding);
    }

    private static BpmnFinding Of(BpmnElement at, int line, int column, string message, out BpmnElement named)
    {
        // A part of an element is found by the element that somebody draws.
        named = at;
        while (named.Parent is { Kind: not ("process" or "subProcess" or "definitions") } parent)
        {
            named = parent;
        }

        return new(named.Kind, Shown(named.Id), Shown(named.Title), line, column, message);
    }

    public IReadOnlyList<BpmnFinding> ToList()
    {
        List<BpmnFinding> all = [.. _found.OrderBy(finding => finding.Line).ThenBy(finding => finding.Column)];
        if (_more > 0)
        {
            var last = all[^1];
            all.Add(new("", null, null, last.Line, last.Column, $"{_more} more findings are not listed; correct these first."));
        }

        return all;
    }

    private void Add(BpmnFinding finding)
    {
        if (_found.Contains(finding))
        {
            return;
        }

        if (_found.Count < Max - 1)
        {
            _found.Add(finding);
        }
        else
        {
            _more++;
        }
    }

    private static string? Shown(string? text) => text is null ? null : StoreLimits.Excerpt(text, LongestName);
}
