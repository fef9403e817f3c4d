using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Instances;
using Workflow.Diagrams;
using Workflow.Diagrams.Graphs;
using Workflow.WebService.Problems;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

/// <summary>Pictures of definitions, alone or with the state of one instance or of many.</summary>
internal sealed class DiagramEndpoint(IWorkflowEngine engine)
{
    private const int MostCountedInstances = 10_000;

    /// <summary>Those of other versions are read, too.</summary>
    private const int MostReadInstances = 50_000;
    private static readonly InstanceState[] Counted =
        [InstanceState.Running, InstanceState.Waiting, InstanceState.Suspended, InstanceState.Failed];

    // Another build may draw the same definition in another way.
    private static readonly string Renderer = typeof(DiagramRenderer).Module.ModuleVersionId.ToString();

    private readonly OneAtATime _drawing = new();

    public void Map(RouteMap routes) =>
        routes.Get("/definitions/{name}/diagram", DrawAsync,
            "A picture of a definition: format svg (the default), elk, msagl, mermaid or bpmn;"
            + " with the state of an instance, or with counts=true the number of unfinished and failed instances at "
            + "each step.")
            .Produces<string>(200, "image/svg+xml", "application/json", "text/plain", "application/xml")
            .Produces(304).ProducesProblems(400, 404, 422);

    // The parameters are declared for the description alone.
    private async Task DrawAsync(
        HttpContext context, string name, string? format, string? version, string? instance, string? counts)
    {
        var query = context.Request.Query;
        RequestValues.OnlyKnown(query, "format", "version", "instance", "counts");
        var wanted = Word(RequestValues.Text(query["format"]) ?? "svg");
        var ofVersion = RequestValues.OptionalVersion(query);
        var count = RequestValues.Text(query["counts"]) switch
        {
            null or "false" => false,
            "true" => true,
            var other => throw RequestProblems.BadQuery("counts", other, "true or false"),
        };
        var cancel = context.RequestAborted;
        InstanceView? view = null;
        if (RequestValues.Text(query["instance"]) is { } id)
        {
            view = count
                ? throw RequestProblems.BadQuery(
                    "counts", "true", "left out with 'instance': a picture shows one instance or counts many")
                : await FindAsync(id, name, ofVersion, cancel);
            ofVersion = view.Version;
        }

        var json = engine.GetDefinition(name, ofVersion);
        if (view is null && !count && EntityTag.IsKnown(context, EntityTag.Of(Renderer, wanted.ToString(), json)))
        {
            return;
        }

        var history = view is null
            ? []
            : await engine.FindHistoryAsync(view.Id, cancel) ?? throw new InstanceNotFoundException(view.Id);
        var picture = await _drawing.RunAsync(
            async () =>
            {
                var definition = DiagramRenderer.Read(json);
                var graph = GraphBuilder.Build(definition);
                DiagramOverlay? overlay = null;
                if (view is not null)
                {
                    overlay = StateOverlay.Of(graph, view, history);
                }
                else if (count)
                {
                    overlay = await CountAsync(graph, name, ofVersion ?? VersionOf(json), cancel);
                }

                return DiagramRenderer.Render(definition, wanted, overlay);
            },
            cancel);

        // A picture that is opened in a browser must not load or run anything.
        context.Response.Headers.ContentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'";
        await JsonResponse.WriteTextAsync(
            context, StatusCodes.Status200OK, $"{DiagramRenderer.MediaType(wanted)}; charset=utf-8", picture);
    }

    private async Task<InstanceView> FindAsync(
        string id, string name, int? version, CancellationToken cancellationToken)
    {
        var instanceId = RequestValues.InstanceId(id);
        var view = await engine.FindInstanceAsync(instanceId, cancellationToken)
            ?? throw new InstanceNotFoundException(instanceId);
        if (view.Definition != name)
        {
            throw RequestProblems.BadQuery(
                "instance", id,
                $"an instance of '{name}'; this one is of '{view.Definition}': GET "
                + $"/definitions/{view.Definition}/diagram");
        }

        return version is null || version == view.Version
            ? view
            : throw RequestProblems.BadQuery(
                "version", $"{version}", $"{view.Version}, which is the instance's, or left out");
    }

    private async Task<DiagramOverlay> CountAsync(
        DiagramGraph graph, string name, int version, CancellationToken cancellationToken)
    {
        // One that moves on meanwhile may be in several of the lists: what the last of them says counts.
        var counted = new Dictionary<Guid, InstanceView>();
        var read = 0;
        foreach (var state in Counted)
        {
            Guid? after = null;
            do
            {
                var page = await engine.ListInstancesAsync(
                    new InstanceQuery { Definition = name, State = state, After = after, Limit = 1_000 },
                    cancellationToken);

                foreach (var item in page.Items.Where(item => item.Version == version))
                {
                    // Without what is not counted, and may be large.
                    counted[item.Id] = item with { Variables = default, Output = null, Tokens = null };
                }

                read += page.Items.Count;
                after = page.Next;
                if (counted.Count >= MostCountedInstances || read >= MostReadInstances)
                {
                    return StateOverlay.Counting(graph, counted.Values.Take(MostCountedInstances), complete: false);
                }
            }
            while (after is not null);
        }

        return StateOverlay.Counting(graph, counted.Values);
    }

    private static int VersionOf(string json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.GetProperty("version").GetInt32();
    }

    private static DiagramFormat Word(string text) =>
        text.All(char.IsAsciiLetter) && Enum.TryParse<DiagramFormat>(text, ignoreCase: true, out var format)
            ? format
            : throw RequestProblems.BadQuery(
                "format", text,
                "one of "
                + string.Join(", ", Enum.GetNames<DiagramFormat>().Select(known => known.ToLowerInvariant())));
}
