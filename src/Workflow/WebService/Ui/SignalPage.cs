using Workflow.Abstractions;
using Workflow.Contracts.Signals;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>Sends a signal by name and correlation key.</summary>
internal sealed class SignalPage(IWorkflowEngine engine)
{
    public const string Address = "/ui/signal";

    public void Map(Pages pages)
    {
        pages.Get(Address, ShowAsync);
        pages.Post(Address, SendAsync, ShowAsync);
    }

    private static Task ShowAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query);
        return WriteAsync(context, Html.Nothing);
    }

    // Not tied to the connection: a command that was taken cannot be taken back.
    private async Task SendAsync(HttpContext context, Form form)
    {
        var accepted = await engine.SignalAsync(
            new SignalCommand
            {
                Name = form.Required("name", "Name of the signal"),
                CorrelationKey = form.Required("correlationKey", "Correlation key"),
                Payload = form.Json("payload", "Payload"),
                IdempotencyKey = form.IdempotencyKey,
            },
            CancellationToken.None);
        await WriteAsync(context, Outcome(accepted));
    }

    private static Task WriteAsync(HttpContext context, Html outcome) => Page.WriteAsync(
        context, "/ui/instances", "Send a signal", Html.Of($"""
            {outcome}
            {(Page.MayAct(context) ? Fields(context) : Page.NeedsFullAccess("send"))}
            """));

    private static Html Fields(HttpContext context) => Html.Of($"""
        <form class="panel" method="post" action="{Address}">{Form.Once}
        {Form.TextField(context, "name", "Name of the signal", 128)}
        {Form.TextField(context, "correlationKey", "Correlation key", 512)}
        {Form.JsonField(context, "payload", "Payload (JSON, may be empty)")}
        <p><button>Send the signal</button></p></form>
        """);

    private static Html Outcome(SignalAccepted accepted)
    {
        if (accepted.DeadLetterId is { } letter)
        {
            return Html.Of($"""
                <p class="error" role="alert">The signal could not be applied. A dead letter keeps it:
                {Page.Id("/ui/dead-letters", letter)}</p>
                """);
        }

        if (accepted.Delivered)
        {
            return Html.Of($"<p class=\"done\" role=\"status\">A waiting instance took the signal.</p>");
        }

        return Html.Of($"""
            <p class="done" role="status">{(accepted.Kept == true
                ? "The signal is accepted and kept: no step waits for it yet." : "The signal is accepted.")}{
                Html.If(accepted.KeptUntil is not null, $" It expires at {Page.Time(accepted.KeptUntil)} (UTC).")}</p>
            {Html.If(accepted.Unreceived == true, $"""
                <p class="error">No registered definition takes signals of this name. Check the spelling.</p>
                """)}
            """);
    }
}
