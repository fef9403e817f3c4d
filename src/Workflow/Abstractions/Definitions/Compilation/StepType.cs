namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// A step type: its members besides <c>type</c>, and how a step is made of them once they are all good.
/// </summary>
internal sealed record StepType(
    string Name, Func<string, MemberValues, StepDefinition> Make, params IReadOnlyList<Member> Members)
{
    public bool Has(string member) => Members.Any(known => known.Name == member);
}
