namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Reads lists of objects: cases, events, signals.</summary>
internal sealed class ItemReader(MemberReader members, ICollection<DefinitionError> errors)
{
    private const int MostEvents = 32;

    private T[]? ReadItems<T>(
        JsonElement element, string path, (string Of, string One, string Example) words, IReadOnlyList<Member> known,
        string step,
        Func<MemberValues, T> make, Action<JsonElement, string>? check = null)
    {
        if (!members.IsList(element, path, words.Of, 1))
        {
            return null;
        }

        var before = errors.Count;
        var index = 0;
        List<T> items = [];
        foreach (var item in element.EnumerateArray())
        {
            var itemPath = DefinitionPath.Item(path, index++);
            if (!members.IsObject(item, itemPath, words.Example))
            {
                continue;
            }

            var unchanged = errors.Count;
            var values = members.Read(item, itemPath, words.One, known, step);
            check?.Invoke(item, itemPath);
            if (errors.Count == unchanged)
            {
                items.Add(make(values));
            }
        }

        return errors.Count == before ? [.. items] : null;
    }

    public DecideCase[]? ReadCases(JsonElement element, string path, string step) => ReadItems(
        element, path, ("cases", "case", "{ \"when\": \"= …\", \"next\": \"…\" }"), DefinitionMembers.Case, step,
        values => new DecideCase(values.Get<Expression>("when"), values.Get<string>("next")));

    public DecideCase[]? ReadBranchCases(JsonElement element, string path, string step)
    {
        if (ReadCases(element, path, step) is not { } cases)
        {
            return null;
        }

        var seen = new HashSet<string>(StringComparer.Ordinal);
        for (var i = 0; i < cases.Length; i++)
        {
            members.AddBranch(cases[i].Next, DefinitionPath.Member(DefinitionPath.Item(path, i), "next"), seen);
        }

        return cases;
    }

    public StepEvent[]? ReadEvents(JsonElement element, string path, IReadOnlyList<Member> known, string step)
    {
        if (element.ValueKind == JsonValueKind.Array && element.GetArrayLength() > MostEvents)
        {
            errors.Add(
                new DefinitionError(
                    path, $"The list has {element.GetArrayLength()} events; the limit is {MostEvents}."));
            return null;
        }

        return ReadItems(
            element, path, ("events", "signal or time", "{ \"signal\": \"…\", \"next\": \"…\" }"), known, step,
            DefinitionMembers.EventOf, (item, itemPath) => EventRule.Check(item, itemPath, errors));
    }

    public StartSignal[]? ReadStartSignals(JsonElement element, string path)
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        return ReadItems(
            element, path, ("signals", "signal", "{ \"signal\": \"…\" }"), DefinitionMembers.StartSignal, "",
            values => new StartSignal(values.Get<string>("signal"), values.Text("result")), (item, itemPath) =>
            {
                if (item.TryGetProperty("signal", out var signal) && !seen.Add(signal.ToString()))
                {
                    errors.Add(new DefinitionError(DefinitionPath.Member(itemPath, "signal"),
                        $"The signal '{DefinitionPath.Shorten(signal.ToString())}' is given twice; keep one."));
                }
            });
    }
}
