using Workflow.WebService.Problems;

namespace Workflow.WebService.Ui;

/// <summary>
/// A form that was refused. Its page is shown again with the problem, the problem's status and the entered text.
/// </summary>
internal sealed record RefusedForm(Form Form, Problem Problem)
{
    /// <summary>The form that this request sent and that was refused; null if there is none.</summary>
    public static RefusedForm? Of(HttpContext context) => context.Features.Get<RefusedForm>();

    /// <summary>Whether the form that was refused has this action.</summary>
    public static bool IsOf(HttpContext context, string action) =>
        Of(context) is not null && context.Request.Path == action;
}
