using YamlDotNet.Core;
using YamlDotNet.Core.Events;
using YamlDotNet.Serialization;

namespace UnitTests.Deploy;

/// <summary>Names, ports, probes and numbers of the manifests fit each other and the code.</summary>
public sealed class ManifestTests
{
    private static readonly string[] Probes = ["startupProbe", "readinessProbe", "livenessProbe"];

    /// <summary>The images that the commands of the page make.</summary>
    private static readonly HashSet<(string Repository, string Tag)> s_published =
    [
        .. Regex.Matches(
            Repository.Text("fixtures/deploy/README.md"), @"ContainerRepository=(\S+)\s+-p:ContainerImageTag=(\S+)")
            .Select(match => (match.Groups[1].Value, match.Groups[2].Value)),
    ];

    /// <summary>A mistake, and what the rules say of it.</summary>
    public static TheoryData<string, string, string> Mistakes { get; } = new()
    {
        { "app: workflow\n  strategy", "app: workflows\n  strategy", "selects pods that its template does not make" },
        { "selector:\n    app: workflow\n  ports", "selector:\n    app: other\n  ports", "selects no pod" },
        { "targetPort: http", "targetPort: https", "has no port 'https'" },
        { "path: /health/ready", "path: /ready", "'/ready', which is no route" },
        { "memory: 2Gi", "cpu: 2", "no memory limit" },
        { "image: wfperf:", "image: wfperf:9.", "which the page does not publish" },
        { "secretKeyRef:\n                  name: workflow\n                  key: api-key",
            "fieldRef:\n                  fieldPath: x",
            "Access__Keys__0 does not come from a Secret" },
        { "WorkflowBackend__Lanes", "WorkflowBackend__Lines", "'WorkflowBackend:Lines', which is no setting" },
        { "WorkflowCluster__Address", "WorkflowCluster__NodeName", "listens on every address and publishes none" },
        { "$(POD_IP):5080", "$(POD_IP):5081", "publishes 'http://$(POD_IP):5081', where it does not listen" },
        { "- name: POD_IP", "- name: POD_ADDRESS", "uses $(POD_IP), which no variable before it is" },
        { "completionMode: Indexed", "completionMode: NonIndexed", "is not Indexed" },
        { "completions: 4", "completions: 5", "5 completions, 4 at a time, of a load of 4 parts whose merge takes 4" },
        { "INDEX+1))/4", "INDEX+1))/3", "4 completions, 4 at a time, of a load of 3 parts whose merge takes 4" },
        { "            - /load/results/3\n", "",
            "4 completions, 4 at a time, of a load of 4 parts whose merge takes 3" },
        { "ahostsv4 workflow-nodes", "ahostsv4 workflow-node", "'workflow-node:5080', which no Service is" },
        { "- --start-at", "- --begin-at", "'--begin-at', which is no option of 'run'" },
        { "- --output", "- --out", "'--out', which is no option of 'merge'" },
        { "- name: START_AT", "- name: BEGIN_AT", "uses $(START_AT), which no variable before it is" },
        { "apiVersion: batch/v1", "apiVersion: batch/v1beta1", "Job of 'batch/v1beta1'" },
    };

    [Fact]
    public async Task Manifests_fit_each_other_and_the_code() => Assert.Empty(await ViolationsAsync(Manifests()));

    [Theory]
    [MemberData(nameof(Mistakes))]
    public async Task Mistake_is_found(string right, string wrong, string found)
    {
        Assert.Contains(right, Manifests(), StringComparison.Ordinal);

        var violations = await ViolationsAsync(Manifests().Replace(right, wrong, StringComparison.Ordinal));

        Assert.Contains(violations, violation => violation.Contains(found, StringComparison.Ordinal));
    }

    /// <summary>The documents of a YAML text with typed numbers and booleans. Refuses a duplicate key.</summary>
    private static IReadOnlyList<JsonNode> Documents(string text)
    {
        var deserializer = new DeserializerBuilder().WithAttemptingUnquotedStringTypeDeserialization()
            .WithDuplicateKeyChecking().Build();
        var parser = new Parser(new StringReader(text));
        List<JsonNode> documents = [];
        parser.Consume<StreamStart>();
        while (parser.Accept<DocumentStart>(out _))
        {
            documents.Add(JsonSerializer.SerializeToNode(deserializer.Deserialize<object>(parser))!);
        }

        return documents;
    }

    private static string Manifests() =>
        Repository.Text("fixtures/deploy/service.yaml") + "---\n" + Repository.Text("fixtures/deploy/parts.yaml");

    private static async Task<IReadOnlyList<string>> ViolationsAsync(string text)
    {
        var documents = Documents(text);
        var settings = Repository.Text("src/Workflow/WebService/Settings.md");
        var workloads = documents.Where(document => Kind(document) is "Deployment" or "Job").ToList();
        return
        [
            .. documents.SelectMany(OfDocument),
            .. documents.Where(document => Kind(document) == "Service")
                .SelectMany(service => OfService(service, workloads)),
            .. workloads.SelectMany(workload => OfWorkload(workload, settings)),
            .. workloads.SelectMany(OfAddress),
            .. OfParts(documents, await HelpAsync("run"), await HelpAsync("merge")),
        ];
    }

    private static IEnumerable<string> OfDocument(JsonNode document)
    {
        var versions =
            new Dictionary<string, string> { ["Deployment"] = "apps/v1", ["Job"] = "batch/v1", ["Service"] = "v1" };
        if (versions.GetValueOrDefault(Kind(document)) is var version && version != Text(document["apiVersion"]))
        {
            yield return $"{Kind(document)} of '{Text(document["apiVersion"])}', expected '{version}'";
        }
    }

    private static IEnumerable<string> OfService(JsonNode service, List<JsonNode> workloads)
    {
        var pods = workloads.Where(workload => Fits(service["spec"]!["selector"]!, workload)).ToList();
        if (pods.Count == 0)
        {
            yield return $"Service {Name(service)} selects no pod";
        }

        foreach (var port in service["spec"]!["ports"]!.AsArray().Select(port => Text(port!["targetPort"])))
        {
            foreach (var pod in pods.Where(pod => Ports(Container(pod)).All(declared => declared != port)))
            {
                yield return $"{Name(pod)} has no port '{port}' for its Service";
            }
        }
    }

    private static IEnumerable<string> OfWorkload(JsonNode workload, string settings)
    {
        var (name, container) = (Name(workload), Container(workload));
        if (workload["spec"]!["selector"] is { } selector && !Fits(selector["matchLabels"]!, workload))
        {
            yield return $"{name} selects pods that its template does not make";
        }

        if (container["resources"]?["requests"]?["cpu"] is null || container["resources"]?["limits"]?["memory"] is null)
        {
            yield return $"{name} has no processor request or no memory limit";
        }

        var image = Text(container["image"]);
        if (image.Split(':') is not [var repository, var tag] || !s_published.Contains((repository, tag)))
        {
            yield return $"{name} runs '{image}', which the page does not publish";
        }

        foreach (var probe in Kind(workload) == "Deployment" ? Probes : [])
        {
            var get = container[probe]?["httpGet"];
            if (get is null || !Ports(container).Contains(Text(get["port"]))
                || Text(get["path"]) is not ("/health/live" or "/health/ready"))
            {
                yield return $"{name} has a {probe} on '{Text(get?["path"])}', which is no route of the service, or on no port of it";
            }
        }

        foreach (var variable in container["env"]?.AsArray() ?? [])
        {
            var key = Text(variable!["name"]);
            var isSecret = key.Contains("Keys", StringComparison.Ordinal)
                || key.Contains("ConnectionStrings", StringComparison.Ordinal)
                || key.EndsWith("KEY", StringComparison.Ordinal) || key.EndsWith("TOKEN", StringComparison.Ordinal);
            if (isSecret && variable["valueFrom"]?["secretKeyRef"]?["key"] is null)
            {
                yield return $"{name}: {key} does not come from a Secret";
            }

            var setting = key.Replace("__0", "", StringComparison.Ordinal).Replace("__", ":", StringComparison.Ordinal);
            if (key.Contains("__", StringComparison.Ordinal)
                && !settings.Contains($"`{setting}`", StringComparison.Ordinal))
            {
                yield return $"{name} sets '{setting}', which is no setting of the service";
            }
        }
    }

    /// <summary>
    /// A node that listens on all addresses publishes only the one that it is given: without, every request to it goes
    /// by the database.
    /// </summary>
    private static IEnumerable<string> OfAddress(JsonNode workload)
    {
        var container = Container(workload);
        var urls = Arguments(workload) is var arguments && arguments.IndexOf("--urls") is >= 0 and var at
            ? arguments[at + 1] : "";
        var variables = container["env"]?.AsArray()
            .Select(variable => (Name: Text(variable!["name"]), Value: Text(variable["value"])))
            .ToList() ?? [];
        var address = variables.Find(variable => variable.Name == "WorkflowCluster__Address").Value;
        if (urls.Contains("0.0.0.0", StringComparison.Ordinal) && address is null)
        {
            yield return $"{Name(workload)} listens on every address and publishes none";
        }

        if (address is not null && address[(address.LastIndexOf(':') + 1)..] != urls[(urls.LastIndexOf(':') + 1)..])
        {
            yield return $"{Name(workload)} publishes '{address}', where it does not listen";
        }

        foreach (var (place,
            used) in variables.Select(variable => variable.Value).Concat(
                Arguments(workload)).SelectMany((value, place) =>
            Regex.Matches(value, @"\$\((\w+)\)").Select(match => (place, match.Groups[1].Value))))
        {
            if (variables.Take(place).All(variable => variable.Name != used))
            {
                yield return $"{Name(workload)} uses $({used}), which no variable before it is";
            }
        }
    }

    private static IEnumerable<string> OfParts(IReadOnlyList<JsonNode> documents, string run, string merge)
    {
        var jobs = documents.Where(document => Kind(document) == "Job").ToDictionary(job => Arguments(job)[2]);
        var (part, parts, whole) = (jobs["run"], Arguments(jobs["run"]), Arguments(jobs["merge"]));
        if (Text(part["spec"]!["completionMode"]) != "Indexed")
        {
            yield return $"{Name(part)} is not Indexed: its pods do not know which part they are";
        }

        var (completions, atOnce) = (Text(part["spec"]!["completions"]), Text(part["spec"]!["parallelism"]));
        var of = Regex.Match(parts[0], @"--part \$\(\(JOB_COMPLETION_INDEX\+1\)\)/(\d+)").Groups[1].Value;
        var results =
            Enumerable.Range(0, whole.Count).TakeWhile(index => whole.Contains($"/load/results/{index}")).Count();
        if (completions != of || atOnce != of || $"{results}" != of)
        {
            yield return $"{completions} completions, {atOnce} at a time, of a load of {of} parts whose merge takes {results}";
        }

        var addresses = documents.Where(document => Kind(document) == "Service")
            .Select(service => $"{Name(service)}:{service["spec"]!["ports"]![0]!["port"]}").ToList();
        foreach (var script in (string[])[parts[0], whole[0]])
        {
            var used = Regex.Match(script, @"getent ahostsv4 ([\w-]+) .*http://\$ip:(\d+)");
            var address = $"{used.Groups[1].Value}:{used.Groups[2].Value}";
            if (!addresses.Contains(address))
            {
                yield return $"'{address}', which no Service is";
            }
        }

        foreach (var (verb, help, arguments) in new[] { ("run", run, parts), ("merge", merge, whole) })
        {
            var options = arguments.SelectMany(argument => argument.Split(' '))
                .Where(word => word.Length > 2 && word.StartsWith("--", StringComparison.Ordinal));
            foreach (var option in options.Where(option => !help.Contains($"{option} ", StringComparison.Ordinal)))
            {
                yield return $"'{option}', which is no option of '{verb}'";
            }
        }
    }

    private static async Task<string> HelpAsync(string verb)
    {
        using var help = new StringWriter();
        await CommandLine.RunAsync([verb, "--help"], new ToolConsole(help, TextWriter.Null, IsStyled: false));
        return help.ToString();
    }

    private static bool Fits(JsonNode labels, JsonNode workload) => labels.AsObject().All(label =>
        Text(workload["spec"]!["template"]!["metadata"]!["labels"]![label.Key]) == Text(label.Value));

    private static JsonNode Container(JsonNode workload) => workload["spec"]!["template"]!["spec"]!["containers"]![0]!;

    private static List<string> Arguments(JsonNode workload) =>
        [.. Container(workload)["args"]!.AsArray().Select(Text)];

    private static List<string> Ports(JsonNode container) =>
        [.. container["ports"]?.AsArray().Select(port => Text(port!["name"])) ?? []];

    private static string Kind(JsonNode document) => Text(document["kind"]);

    private static string Name(JsonNode document) => Text(document["metadata"]!["name"]);

    private static string Text(JsonNode? node) => node?.ToString() ?? "";
}
