using System.Diagnostics;
using System.Reflection;
using System.Text.RegularExpressions;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using LoadTesting.Http;

namespace CompatibilityTests;

/// <summary>The names that a scenario file may use, against those that are there.</summary>
public sealed partial class PublicNamesTests
{
    private static readonly string s_page =
        Path.Combine(PerformanceTesting.Processes.Checkout.Root, "src/LoadTesting/Compatibility/README.md");

    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(int)] = "int", [typeof(long)] = "long", [typeof(double)] = "double", [typeof(bool)] = "bool",
        [typeof(string)] = "string",
        [typeof(object)] = "object", [typeof(byte)] = "byte",
    };

    [Fact]
    public void Every_public_name_is_there_or_in_the_table_of_differences()
    {
        var differences = File.ReadAllText(s_page);
        var here = typeof(IScenarioContext).Assembly.GetExportedTypes().SelectMany(Signatures)
            .ToHashSet(StringComparer.Ordinal);

        var missing = Facts().Where(fact => !here.Contains(fact)).ToArray();

        var hidden =
            missing.Where(fact => !differences.Contains($"`{Member(fact)}`", StringComparison.Ordinal)).ToArray();
        Assert.True(hidden.Length == 0, $"Missing, and not in the README's table:\n{string.Join("\n", hidden)}");
        Assert.InRange(missing.Length, 1, 20);
    }

    [Fact]
    public void Table_of_differences_names_nothing_that_is_there()
    {
        var differences = File.ReadAllText(s_page);
        var section = differences[differences.IndexOf("## What is missing", StringComparison.Ordinal)..];
        var here =
            typeof(IScenarioContext).Assembly.GetExportedTypes().SelectMany(Signatures).Select(Member).ToHashSet();

        Assert.Equal([], Quoted().Matches(section).Select(match => match.Groups[1].Value).Intersect(here));
    }

    [Fact]
    public async Task Migration_command_changes_the_names_of_NBomber()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The page's command is for GNU sed.");
        (string Before, string After)[] files =
        [
            ("\uFEFFusing NBomber.CSharp;", "\uFEFFusing LoadTesting.CSharp;"),
            ("\uFEFFusing NBomber;", "\uFEFFusing LoadTesting;"),
            ("global using NBomber.Contracts.Stats;", "global using LoadTesting.Contracts.Stats;"),
            ("using NBomber.Http.CSharp;", "using LoadTesting.Http.CSharp;"),
            ("using HttpVersion = NBomber.Http.HttpVersion;", "using HttpVersion = LoadTesting.Http.HttpVersion;"),
            ("using static NBomber.Time;", "using static LoadTesting.Time;"),
            ("return NBomber.CSharp.Response.Ok();", "return LoadTesting.CSharp.Response.Ok();"),
            ("new NBomber.ClientPool<int>(NBomber.Data.Data.x)",
                "new LoadTesting.ClientPool<int>(LoadTesting.Data.Data.x)"),
            ("using NBomberTests.Http;", "using NBomberTests.Http;"),
            ("namespace Shop.NBomber.Http;", "namespace Shop.NBomber.Http;"),
            ("NBomberRunner.RegisterScenarios(s)", "NBomberRunner.RegisterScenarios(s)"),
        ];
        var page = await File.ReadAllTextAsync(s_page, Cancel);
        var command = page.Split("```").Single(block => block.Contains("sed -i", StringComparison.Ordinal));
        var folder = Directory.CreateTempSubdirectory("migration-");
        var paths = files.Select((_, index) => Path.Combine(folder.FullName, $"Load{index}.cs")).ToArray();
        foreach (var (path, file) in paths.Zip(files))
        {
            await File.WriteAllTextAsync(path, file.Before, Cancel);
        }

        using var process =
            Process.Start(new ProcessStartInfo("bash", ["-c", command]) { WorkingDirectory = folder.FullName })!;
        await process.WaitForExitAsync(Cancel);

        Assert.Equal(0, process.ExitCode);
        Assert.All(paths.Zip(files),
            one => Assert.Equal(Encoding.UTF8.GetBytes(one.Second.After), File.ReadAllBytes(one.First)));
        folder.Delete(recursive: true);
    }

    [Fact]
    public void Cases_of_the_union_are_its_simulations()
    {
        var second = TimeSpan.FromSeconds(1);

        Assert.Equal<LoadSimulation>(
            [
                Simulation.RampingConstant(2, second), Simulation.KeepConstant(2, second),
                Simulation.RampingInject(2, second, 3 * second),
                Simulation.Inject(2, second, 3 * second), Simulation.InjectRandom(2, 4, second, 3 * second),
                Simulation.IterationsForConstant(2, 5), Simulation.IterationsForInject(2, second, 5),
                Simulation.Pause(second),
            ],
            [
                LoadSimulation.NewRampingConstant(_copies: 2, _during: second),
                LoadSimulation.NewKeepConstant(_copies: 2, _during: second),
                LoadSimulation.NewRampingInject(_rate: 2, _interval: second, _during: 3 * second),
                LoadSimulation.NewInject(_rate: 2, _interval: second, _during: 3 * second),
                LoadSimulation.NewInjectRandom(_minRate: 2, _maxRate: 4, _interval: second, _during: 3 * second),
                LoadSimulation.NewIterationsForConstant(_copies: 2, _iterations: 5),
                LoadSimulation.NewIterationsForInject(_rate: 2, _interval: second, _iterations: 5),
                LoadSimulation.NewPause(_during: second),
            ]);
    }

    [Fact]
    public void Constructors_take_what_those_of_NBomber_take()
    {
        var (ok, fail) = (new MeasurementStats(), new MeasurementStats());

        var arguments =
            new HttpClientArgs(httpCompletion: HttpCompletionOption.ResponseHeadersRead, cancellationToken: Cancel);
        var step = new StepStats("login", ok, fail);

        Assert.Equal((HttpCompletionOption.ResponseHeadersRead, Cancel),
            (arguments.HttpCompletion, arguments.CancellationToken));
        Assert.Equal(("login", ok, fail, 0), (step.StepName, step.Ok, step.Fail, step.SortIndex));
        Assert.Equal(7, new StepStats(stepName: "login", ok: ok, fail: fail, sortIndex: 7).SortIndex);
    }

    private static string[] Facts() =>
        [.. File.ReadLines(Path.Combine(AppContext.BaseDirectory, "PublicNames.txt"))
            .Where(line => line.Length > 0 && line[0] != '#')];

    // Contracts.Stats.NodeStats: AllBytes long -> NodeStats.AllBytes
    private static string Member(string fact)
    {
        var (type, member) = (fact[..fact.IndexOf(": ", StringComparison.Ordinal)],
            fact[(fact.IndexOf(": ", StringComparison.Ordinal) + 2)..]);
        return $"{Name().Match(type.Split('.')[^1]).Value}.{Name().Match(member).Value}";
    }

    private static IEnumerable<string> Signatures(Type type)
    {
        var prefix = $"{string.Concat(type.Namespace!.Split('.').Skip(1).Select(part => $"{part}."))}{NameOf(type)}: ";
        if (type.IsEnum)
        {
            return Enum.GetValuesAsUnderlyingType(type).Cast<int>()
                .Select(value => $"{prefix}{Enum.GetName(type, value)} = {value}");
        }

        var all = type.GetInterfaces().Where(_ => type.IsInterface).Append(type).ToArray();
        return all.SelectMany(one => one.GetProperties())
            .Select(property => $"{prefix}{property.Name} {NameOf(property.PropertyType)}")
            .Concat(all.SelectMany(one => one.GetMethods()).Where(method => !method.IsSpecialName).SelectMany(Calls)
                .Select(call => prefix + call));
    }

    /// <summary>A method with all of its parameters, and without those that may be left out.</summary>
    private static IEnumerable<string> Calls(MethodInfo method)
    {
        var parameters = method.GetParameters();
        var least = parameters.TakeWhile(parameter => !parameter.IsOptional).Count();
        var name = method.Name + (method.IsGenericMethod ? "<T>" : "");
        return Enumerable.Range(least, parameters.Length - least + 1).Select(count =>
            $"{name}({string.Join(", ", parameters.Take(count).Select(parameter => $"{NameOf(parameter.ParameterType)} {parameter.Name}"))})");
    }

    private static string NameOf(Type type)
    {
        if (s_keywords.TryGetValue(type, out var keyword))
        {
            return keyword;
        }

        if (type.IsArray)
        {
            return $"{NameOf(type.GetElementType()!)}[]";
        }

        if (Nullable.GetUnderlyingType(type) is { } value)
        {
            return $"{NameOf(value)}?";
        }

        return type.IsGenericType
            ? $"{type.Name[..type.Name.IndexOf('`')]}<{string.Join(", ", type.GetGenericArguments().Select(NameOf))}>"
            : type.Name;
    }

    [GeneratedRegex(@"^\w+")]
    private static partial Regex Name();

    [GeneratedRegex(@"`(\w+\.\w+)`")]
    private static partial Regex Quoted();
}
