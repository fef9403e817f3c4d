using Workflow.Bpmn;
using Workflow.Contracts.Definitions;

namespace Workflow.WebService.Problems;

/// <summary>What was found in a BPMN file, as clients see it.</summary>
internal static class BpmnProblems
{
    public static DefinitionProblem Of(BpmnFinding finding) =>
        new(finding.Subject, finding.Message, finding.Column, finding.Line, finding.Id, finding.Name);

    /// <summary>How much is passed over that the answer does not list; empty where it lists all.</summary>
    public static IEnumerable<DefinitionProblem> More(BpmnImport file) => file.MorePassedOver == 0 ? [] :
    [
        new("the file", string.Create(CultureInfo.InvariantCulture,
            $"{file.PassedOver.Count} attributes and extensions that are passed over are listed, and "
                + $"{file.MorePassedOver} more are not."),
            null),
    ];
}
