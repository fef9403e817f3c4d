using Workflow.Contracts.Definitions;

namespace Workflow.Bpmn;

/// <summary>What a BPMN file was imported as.</summary>
/// <param name="Definitions">
/// A definition for each process that can be executed, in the order of the file; then those of activities with several
/// instances, each before those that it calls.
/// </param>
/// <param name="PassedOver">
/// What has no effect because nothing here knows it, in the order of the file, at most 1,000.
/// </param>
/// <param name="MorePassedOver">How much more of it is not listed.</param>
public sealed record BpmnImport(
    IReadOnlyList<ImportedDefinition> Definitions, IReadOnlyList<PassedOver> PassedOver, int MorePassedOver);
