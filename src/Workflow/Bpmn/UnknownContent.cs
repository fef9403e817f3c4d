namespace Workflow.Bpmn;

/// <summary>What becomes of attributes and extensions of a BPMN file that nothing here knows.</summary>
public enum UnknownContent
{
    /// <summary>Each is a finding, so the file is not imported.</summary>
    Refuse,

    /// <summary>
    /// Each is listed in <see cref="BpmnImport.PassedOver"/>; what may change what runs is still a finding.
    /// </summary>
    Report,
}
