namespace Workflow.Bpmn;

internal enum BpmnDialect
{
    Plain,
    Camunda7,
    Camunda8,
}
