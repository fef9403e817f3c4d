namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Checks which members of an event are given together.</summary>
internal static class EventRule
{
    private static readonly string[] Kinds = ["signal", "duration", "until"];
    private static readonly string[] OfSignals = ["correlation", "result"];

    public static void Check(JsonElement element, string path, ICollection<DefinitionError> errors)
    {
        string[] given = [.. Kinds.Where(member => element.TryGetProperty(member, out _))];
        if (given.Length != 1)
        {
            errors.Add(new DefinitionError(path, given.Length == 0
                ? "An event needs 'signal', or 'duration', e.g. \"PT1H\", or 'until', e.g. \"= dueAt\"."
                : $"'{string.Join("' and '", given)}' are given together; keep one, and make an event of its own of "
                    + "each other."));
            return;
        }

        foreach (var member in OfSignals.Where(member => given[0] != "signal" && element.TryGetProperty(member, out _)))
        {
            errors.Add(new DefinitionError(DefinitionPath.Member(path, member),
                $"'{member}' belongs to a signal, but the event has '{given[0]}'; remove it."));
        }
    }
}
