using Workflow.Abstractions;
using Workflow.Contracts.Definitions;

namespace Workflow.Bpmn;

/// <summary>Collects findings up to a limit, and what is passed over if that is allowed.</summary>
internal sealed class FindingList(UnknownContent unknown = UnknownContent.Refuse)
{
    /// <summary>How many findings are reported at most; the last one then counts the others.</summary>
    public const int Max = 200;

    /// <summary>How much of what is passed over is listed at most.</summary>
    private const int MaxPassedOver = 1_000;

    private const int LongestName = 80;
    private readonly List<BpmnFinding> _found = [];
    private readonly HashSet<
        (BpmnElement Element, string Kind, string Space, string Name, int Line, int Column)> _passed = [];
    private readonly HashSet<BpmnElement> _concerned = [];
    private int _more;

    public int Count => _found.Count + _more;

    /// <summary>Whether what is not known and changes nothing is passed over.</summary>
    public bool PassesOver => unknown == UnknownContent.Report;

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
        while (named.Parent is { Kind: not ("process" or "definitions") } parent
            && (!parent.Is("subProcess") || !BpmnRules.DoesSomething(named)))
        {
            named = parent;
        }

        return new(named.Kind, Shown(named.Id), Shown(named.Title), line, column, message);
    }

    /// <summary>Notes what has no effect because nothing here knows it.</summary>
    /// <param name="kind">What it is: see <see cref="PassedOver.Kind"/>.</param>
    public void PassOver(BpmnElement of, string kind, string space, string name, (int Line, int Column) place) =>
        _passed.Add((of, kind, space, name, place.Line, place.Column));

    /// <summary>What was passed over, as much as is listed, and how much more there is.</summary>
    public (IReadOnlyList<PassedOver> Listed, int More) Passed()
    {
        var listed = _passed.OrderBy(one => one.Line).ThenBy(one => one.Column).Take(MaxPassedOver).Select(one =>
        {
            var of = Of(one.Element, "");
            return new PassedOver(
                of.Subject, one.Kind, Shown(one.Name)!, Shown(one.Space)!, one.Line, one.Column, of.Id);
        }).ToList();
        return (listed, _passed.Count - listed.Count);
    }

    public IReadOnlyList<BpmnFinding> ToList()
    {
        List<BpmnFinding> all = [.. _found.OrderBy(finding => finding.Line).ThenBy(finding => finding.Column)];
        if (_more > 0)
        {
            var last = all[^1];
            all.Add(new(
                "", null, null, last.Line, last.Column, $"{_more} more findings are not listed; correct these first."));
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
