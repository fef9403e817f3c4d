namespace Workflow.Bpmn;

internal enum ForeignLanguage
{
    /// <summary>The unified expression language of Camunda 7, what stands between <c>${</c> and <c>}</c>.</summary>
    Unified,

    /// <summary>Right sides of C# assignments, as in <c>_context.total = _context.price * 2</c>.</summary>
    CSharp,
}
