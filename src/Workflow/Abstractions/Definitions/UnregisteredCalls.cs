namespace Workflow.Abstractions.Definitions;

/// <summary>
/// Calls of definitions that are not registered. They may be registered later, in any order; until then the call fails
/// when an instance gets there.
/// </summary>
public static class UnregisteredCalls
{
    /// <summary>A warning for every <c>call</c> and <c>callEach</c> of a definition that is not known.</summary>
    /// <param name="isKnown">
    /// Whether there is a definition of that name, in the version where the step names one. The definition itself is
    /// always known.
    /// </param>
    /// <param name="missing">What the warning says of the called definition.</param>
    public static IReadOnlyList<DefinitionError> Find(
        WorkflowDefinition definition, Func<string, int?, bool> isKnown, string missing = "is not registered")
    {
        List<DefinitionError> warnings = [];
        foreach (var step in definition.Steps.Values.OrderBy(step => step.Id, StringComparer.Ordinal))
        {
            var (name, version) = step switch
            {
                CallStep call => (call.Definition, call.Version),
                CallEachStep each => (each.Definition, each.Version),
                _ => (null, null),
            };
            var isOwn = name == definition.Name && (version is null || version == definition.Version);
            if (name is null || isOwn || isKnown(name, version))
            {
                continue;
            }

            var called = version is null
                ? $"'{name}'"
                : string.Create(CultureInfo.InvariantCulture, $"'{name}' version {version}");
            var consequence = ((CallingStep)step).OnError is { } onError
                ? $"the step then takes its onError, '{onError}'" : "the instance then fails at this step";
            warnings.Add(
                new DefinitionError(DefinitionPath.Member(DefinitionPath.Member("steps", step.Id), "definition"),
                $"Step '{step.Id}' calls definition {called}, which {missing}. Until it is registered the call fails, "
                    + $"and {consequence}."));
        }

        return warnings;
    }
}
